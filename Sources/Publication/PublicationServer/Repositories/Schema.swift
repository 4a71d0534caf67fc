import Foundation
import Runtime
import SQLiteStorage

/// The publication's tables. Times are whole seconds since 1970, in UTC.
enum Schema {
  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        -- sort_key: the name without case and accents. base_*: what happened before this publication counted.
        CREATE TABLE fan_club (
          id TEXT PRIMARY KEY, name TEXT NOT NULL, sort_key TEXT NOT NULL, about TEXT NOT NULL, picture TEXT, url TEXT, source TEXT,
          base_followers INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        CREATE INDEX fan_club_by_name ON fan_club (sort_key, id);

        CREATE TABLE post (
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, fan_club TEXT NOT NULL REFERENCES fan_club (id), title TEXT NOT NULL,
          byline TEXT NOT NULL, teaser TEXT NOT NULL, picture TEXT, url TEXT, published INTEGER NOT NULL, premium INTEGER NOT NULL,
          base_reactions INTEGER NOT NULL DEFAULT 0, digest BLOB NOT NULL, body TEXT NOT NULL
        );
        CREATE INDEX post_by_time ON post (published, id);
        CREATE INDEX post_of_club ON post (fan_club, published, id);
        CREATE TABLE picture (name TEXT PRIMARY KEY, type TEXT NOT NULL, bytes BLOB NOT NULL);

        CREATE TABLE reader (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, password TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE session (
          token_digest BLOB PRIMARY KEY, reader TEXT NOT NULL REFERENCES reader (id), begun INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE reaction (
          post TEXT NOT NULL REFERENCES post (id), reader TEXT NOT NULL REFERENCES reader (id), PRIMARY KEY (post, reader)
        ) WITHOUT ROWID;
        CREATE TABLE bookmark (
          reader TEXT NOT NULL REFERENCES reader (id), post TEXT NOT NULL REFERENCES post (id), PRIMARY KEY (reader, post)
        ) WITHOUT ROWID;
        CREATE TABLE follow (
          fan_club TEXT NOT NULL REFERENCES fan_club (id), reader TEXT NOT NULL REFERENCES reader (id), PRIMARY KEY (fan_club, reader)
        ) WITHOUT ROWID;

        CREATE TABLE product (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE paywall (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;

        -- "order" is SQL's own word.
        CREATE TABLE purchase (
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, reader TEXT NOT NULL REFERENCES reader (id), product TEXT NOT NULL,
          kind TEXT NOT NULL, entitlement TEXT NOT NULL, subscription_group TEXT, period TEXT, total INTEGER NOT NULL,
          currency TEXT NOT NULL, state TEXT NOT NULL, created INTEGER NOT NULL, decline_reason TEXT, paid INTEGER, expires INTEGER
        );
        CREATE INDEX purchase_of_reader ON purchase (reader, number);
        -- The journal of what the payment provider was asked; a row is there before it is.
        CREATE TABLE attempt (
          purchase TEXT NOT NULL REFERENCES purchase (id), number INTEGER NOT NULL, token TEXT NOT NULL, begun INTEGER NOT NULL,
          ended INTEGER, charge TEXT, decline_reason TEXT, PRIMARY KEY (purchase, number)
        ) WITHOUT ROWID;
        CREATE INDEX open_attempt ON attempt (purchase) WHERE ended IS NULL;
        """),
    Migration(
      version: 2,
      sql: """
        -- code: the order's number for people. refund_reason is there before the provider is asked, refunded after.
        ALTER TABLE purchase ADD COLUMN code TEXT NOT NULL DEFAULT '';
        UPDATE purchase SET code = printf('%04d-%04d', number / 10000, number % 10000);
        CREATE UNIQUE INDEX purchase_by_code ON purchase (code);
        ALTER TABLE purchase ADD COLUMN consumable TEXT;
        ALTER TABLE purchase ADD COLUMN amount INTEGER;
        ALTER TABLE purchase ADD COLUMN tax TEXT;
        ALTER TABLE purchase ADD COLUMN refund_reason TEXT;
        ALTER TABLE purchase ADD COLUMN refunded INTEGER;
        CREATE INDEX open_refund ON purchase (id) WHERE refund_reason IS NOT NULL AND refunded IS NULL;
        -- confirmed: the token came from a page where the reader confirmed, and no other replaces it.
        ALTER TABLE attempt ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;

        -- A product in the currencies beside its first one.
        CREATE TABLE product_in_currency (
          product TEXT NOT NULL REFERENCES product (id), currency TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (product, currency)
        ) WITHOUT ROWID;

        -- What a paid consumable put on a reader's balance, and what opened which post.
        CREATE TABLE credit (
          number INTEGER PRIMARY KEY, purchase TEXT NOT NULL UNIQUE REFERENCES purchase (id),
          reader TEXT NOT NULL REFERENCES reader (id), type TEXT NOT NULL, amount INTEGER NOT NULL,
          remaining INTEGER NOT NULL CHECK (remaining BETWEEN 0 AND amount)
        );
        CREATE INDEX credit_of_reader ON credit (reader, type, number);
        CREATE TABLE unlock (
          reader TEXT NOT NULL REFERENCES reader (id), post TEXT NOT NULL REFERENCES post (id),
          credit INTEGER NOT NULL REFERENCES credit (number), at INTEGER NOT NULL, PRIMARY KEY (reader, post)
        ) WITHOUT ROWID;
        CREATE INDEX unlock_by_credit ON unlock (credit);

        -- Pages for the system browser. used: a charge was begun with the token.
        CREATE TABLE checkout (
          number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, purchase TEXT NOT NULL REFERENCES purchase (id), purpose TEXT NOT NULL,
          state TEXT NOT NULL, begun INTEGER NOT NULL, expires INTEGER NOT NULL, token TEXT, used INTEGER
        );
        CREATE INDEX checkout_of_purchase ON checkout (purchase, number);

        -- Public halves of the keys that signed receipts before the one in use.
        CREATE TABLE receipt_key (kid TEXT PRIMARY KEY, jwk TEXT NOT NULL, retired INTEGER NOT NULL) WITHOUT ROWID;
        """),
    Migration(
      version: 3,
      sql: """
        -- features: what a client has to report, with commas between.
        CREATE TABLE flag (
          name TEXT PRIMARY KEY, percent INTEGER NOT NULL, min_version TEXT, features TEXT NOT NULL
        ) WITHOUT ROWID;
        -- One row for each flag that an event counts for; the identifier is the client's.
        CREATE TABLE flag_event (
          reader TEXT NOT NULL REFERENCES reader (id), id TEXT NOT NULL, flag TEXT NOT NULL REFERENCES flag (name), variant TEXT NOT NULL,
          kind TEXT NOT NULL, code TEXT, received INTEGER NOT NULL, PRIMARY KEY (reader, id, flag)
        ) WITHOUT ROWID;
        CREATE INDEX flag_event_by_bucket ON flag_event (flag, variant, kind, code);
        """),
    Migration(
      version: 4,
      sql: """
        -- There was one kind of reaction, the heart. base_reaction: what happened before this publication counted.
        ALTER TABLE reaction ADD COLUMN kind TEXT NOT NULL DEFAULT 'love';
        CREATE TABLE base_reaction (
          post TEXT NOT NULL REFERENCES post (id), kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (post, kind)
        ) WITHOUT ROWID;
        INSERT INTO base_reaction (post, kind, count) SELECT id, 'love', base_reactions FROM post WHERE base_reactions > 0;
        ALTER TABLE post DROP COLUMN base_reactions;

        CREATE TABLE read_mark (
          reader TEXT NOT NULL REFERENCES reader (id), post TEXT NOT NULL REFERENCES post (id), PRIMARY KEY (reader, post)
        ) WITHOUT ROWID;

        -- A deleted one keeps its row, without its words, so that its identifier stays used.
        CREATE TABLE comment (
          number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, post TEXT NOT NULL REFERENCES post (id),
          reader TEXT NOT NULL REFERENCES reader (id), text TEXT NOT NULL, posted INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX comment_of_post ON comment (post, number) WHERE NOT deleted;

        -- Feeds that are asked again. next: when; NULL for never of itself. etag, modified: what names the version that there is.
        ALTER TABLE fan_club ADD COLUMN fetched INTEGER NOT NULL DEFAULT 1;
        CREATE TABLE feed (
          fan_club TEXT PRIMARY KEY REFERENCES fan_club (id), url TEXT NOT NULL, etag TEXT, modified TEXT, next INTEGER,
          failures INTEGER NOT NULL DEFAULT 0
        ) WITHOUT ROWID;
        CREATE INDEX feed_by_next ON feed (next) WHERE next IS NOT NULL;
        INSERT INTO feed (fan_club, url, next) SELECT id, source, 0 FROM fan_club WHERE source LIKE 'http://%' OR source LIKE 'https://%';

        -- The words of posts. search_queue: posts whose words are not, or no longer, there.
        CREATE VIRTUAL TABLE post_search USING fts5 (
          title, byline, teaser, body, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
        );
        CREATE TABLE search_queue (post INTEGER PRIMARY KEY);
        INSERT INTO search_queue (post) SELECT number FROM post;
        CREATE TRIGGER post_added AFTER INSERT ON post BEGIN
          INSERT INTO search_queue (post) VALUES (new.number);
        END;
        CREATE TRIGGER post_changed AFTER UPDATE OF title, byline, teaser, body ON post BEGIN
          INSERT OR IGNORE INTO search_queue (post) VALUES (new.number);
        END;
        CREATE TRIGGER post_removed AFTER DELETE ON post BEGIN
          DELETE FROM search_queue WHERE post = old.number;
          DELETE FROM post_search WHERE rowid = old.number;
        END;
        """),
    Migration(
      version: 5,
      sql: """
        -- Why it could not be read the last time, for people.
        ALTER TABLE feed ADD COLUMN problem TEXT;
        """),
    Migration(
      version: 6,
      sql: """
        -- Feeds are looked for by where they are, and by where they were when they were added.
        CREATE INDEX feed_by_url ON feed (url);
        CREATE INDEX fan_club_by_source ON fan_club (source) WHERE source IS NOT NULL;
        -- ttl: for how many seconds it stays the same by its own account. quiet: until when its server wants to be left alone.
        ALTER TABLE feed ADD COLUMN ttl INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE feed ADD COLUMN quiet INTEGER;
        """),
    Migration(
      version: 7,
      sql: """
        -- Each reader's app asks every minute what is new in the clubs that its reader follows.
        CREATE INDEX follow_of_reader ON follow (reader, fan_club);
        """),
    Migration(
      version: 8,
      sql: """
        -- Posts by number: a list of what is unread looks for the mark of each post, and among numbers that takes a quarter of the time.
        CREATE TABLE mark_by_number (
          reader TEXT NOT NULL REFERENCES reader (id), number INTEGER NOT NULL REFERENCES post (number), PRIMARY KEY (reader, number)
        ) WITHOUT ROWID;
        INSERT INTO mark_by_number (reader, number)
          SELECT read_mark.reader, post.number FROM read_mark JOIN post ON post.id = read_mark.post ORDER BY 1, 2;
        DROP TABLE read_mark;
        ALTER TABLE mark_by_number RENAME TO read_mark;
        """),
    Migration(
      version: 9,
      sql: """
        -- added_by: who may remove it; NULL for what no reader added, or nobody knows.
        ALTER TABLE fan_club ADD COLUMN added_by TEXT REFERENCES reader (id);
        """),
    Migration(
      version: 10,
      sql: """
        -- The state of a checkout may be 'withdrawn', which no earlier version can read.
        """),
    Migration(
      version: 11,
      sql: """
        -- starts: when the period that was paid for begins. Until now one began with the payment, or where the one before it ended.
        ALTER TABLE purchase ADD COLUMN starts INTEGER;
        UPDATE purchase SET starts = coalesce((
          SELECT max(earlier.expires) FROM purchase AS earlier
          WHERE earlier.reader = purchase.reader AND earlier.subscription_group = purchase.subscription_group
            AND earlier.paid <= purchase.paid AND earlier.expires > purchase.paid AND earlier.expires < purchase.expires
            AND coalesce(earlier.refunded, purchase.paid) >= purchase.paid), paid)
          WHERE period IS NOT NULL AND paid IS NOT NULL;
        """),
    Migration(
      version: 12,
      sql: """
        -- The files that belong to a post, as JSON; NULL for none. Those of earlier posts come with a feed that is read as a whole again.
        ALTER TABLE post ADD COLUMN enclosures TEXT;
        UPDATE feed SET etag = NULL, modified = NULL;
        """),
    Migration(
      version: 13,
      sql: """
        -- mark: what marked the post as read together with others, so that it can be taken back; NULL for one that was read by itself.
        ALTER TABLE read_mark ADD COLUMN mark TEXT;
        """),
    Migration(
      version: 14,
      sql: """
        -- The names of clubs. club_queue: clubs whose names are not, or no longer, there.
        CREATE VIRTUAL TABLE club_search USING fts5 (
          id UNINDEXED, name, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
        );
        CREATE TABLE club_queue (club TEXT PRIMARY KEY) WITHOUT ROWID;
        INSERT INTO club_queue (club) SELECT id FROM fan_club;
        -- Not OR IGNORE: in a trigger the statement that fires it decides about conflicts.
        CREATE TRIGGER club_added AFTER INSERT ON fan_club BEGIN
          INSERT INTO club_queue (club) SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM club_queue WHERE club = new.id);
        END;
        CREATE TRIGGER club_renamed AFTER UPDATE OF name ON fan_club WHEN old.name <> new.name BEGIN
          INSERT INTO club_queue (club) SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM club_queue WHERE club = new.id);
        END;
        CREATE TRIGGER club_removed AFTER DELETE ON fan_club BEGIN
          DELETE FROM club_queue WHERE club = old.id;
          DELETE FROM club_search WHERE id = old.id;
        END;
        """),
    Migration(
      version: 15,
      sql: """
        -- Clubs by number, which is the row of their name in club_search: to find one by anything else, FTS5 reads all names.
        CREATE TABLE club_number (number INTEGER PRIMARY KEY, club TEXT NOT NULL UNIQUE);
        INSERT INTO club_number (number, club) SELECT max(rowid), id FROM club_search GROUP BY id;
        DROP TRIGGER club_removed;
        CREATE TRIGGER club_removed AFTER DELETE ON fan_club BEGIN
          DELETE FROM club_queue WHERE club = old.id;
          DELETE FROM club_search WHERE rowid = (SELECT number FROM club_number WHERE club = old.id);
          DELETE FROM club_number WHERE club = old.id;
        END;
        """),
    Migration(
      version: 16,
      sql: """
        CREATE INDEX purchase_by_payment ON purchase (paid) WHERE paid IS NOT NULL;
        -- used: the last time that the session was, give or take a day. Of those that there are nobody knows, so they begin anew.
        ALTER TABLE session ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
        UPDATE session SET used = CAST(strftime('%s', 'now') AS INTEGER);
        CREATE INDEX session_of_reader ON session (reader, used);
        """),
    Migration(
      version: 17,
      sql: """
        -- No text of a list is longer than what is shown (`String.longestShown`); a feed that is read again counts as changed by that, once.
        UPDATE post SET
          title = CASE WHEN length(title) > 400 THEN substr(title, 1, 399) || '…' ELSE title END,
          byline = CASE WHEN length(byline) > 400 THEN substr(byline, 1, 399) || '…' ELSE byline END,
          teaser = CASE WHEN length(teaser) > 400 THEN substr(teaser, 1, 399) || '…' ELSE teaser END
          WHERE length(title) > 400 OR length(byline) > 400 OR length(teaser) > 400;
        UPDATE fan_club SET
          name = CASE WHEN length(name) > 400 THEN substr(name, 1, 399) || '…' ELSE name END,
          about = CASE WHEN length(about) > 400 THEN substr(about, 1, 399) || '…' ELSE about END,
          sort_key = substr(sort_key, 1, 400)
          WHERE length(name) > 400 OR length(about) > 400;
        UPDATE feed SET problem = substr(problem, 1, 399) || '…' WHERE length(problem) > 400;
        """),
    Migration(
      version: 18,
      sql: """
        -- Before a comment is written, the reader's of the last hour are counted.
        CREATE INDEX comment_of_reader ON comment (reader, posted);
        """),
    Migration(
      version: 19,
      sql: """
        -- How many posts a club has, and how many of them a reader has read: to count them takes as long as there are posts.
        CREATE TABLE post_count (fan_club TEXT PRIMARY KEY, posts INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO post_count (fan_club, posts) SELECT fan_club, count(*) FROM post GROUP BY fan_club;
        CREATE TRIGGER post_counted AFTER INSERT ON post BEGIN
          INSERT INTO post_count (fan_club, posts) VALUES (new.fan_club, 1) ON CONFLICT (fan_club) DO UPDATE SET posts = posts + 1;
        END;
        CREATE TRIGGER post_discounted AFTER DELETE ON post BEGIN
          UPDATE post_count SET posts = posts - 1 WHERE fan_club = old.fan_club;
        END;
        CREATE TABLE read_count (
          reader TEXT NOT NULL, fan_club TEXT NOT NULL, posts INTEGER NOT NULL, PRIMARY KEY (reader, fan_club)
        ) WITHOUT ROWID;
        INSERT INTO read_count (reader, fan_club, posts)
          SELECT reader, fan_club, count(*) FROM read_mark JOIN post USING (number) GROUP BY 1, 2;
        CREATE TRIGGER read_counted AFTER INSERT ON read_mark BEGIN
          INSERT INTO read_count (reader, fan_club, posts) SELECT new.reader, fan_club, 1 FROM post WHERE number = new.number
            ON CONFLICT (reader, fan_club) DO UPDATE SET posts = posts + 1;
        END;
        CREATE TRIGGER read_discounted AFTER DELETE ON read_mark BEGIN
          UPDATE read_count SET posts = posts - 1
            WHERE reader = old.reader AND fan_club = (SELECT fan_club FROM post WHERE number = old.number);
        END;
        CREATE TRIGGER counts_removed AFTER DELETE ON fan_club BEGIN
          DELETE FROM post_count WHERE fan_club = old.id;
          DELETE FROM read_count WHERE fan_club = old.id;
        END;
        CREATE INDEX read_count_of_club ON read_count (fan_club);
        """),
    Migration(
      version: 20,
      sql: """
        -- They go with their post; for readers they are not there.
        CREATE INDEX IF NOT EXISTS \(deletedComments);
        """),
    Migration(
      version: 21,
      sql: """
        -- A session is a family of tokens, of which digests are stored. family: of the half that all its refresh tokens begin with. refresh: of
        -- the token that counts. used: the last exchange. reused: it was ended by that, and is there to tell whoever comes with a token of it.
        CREATE TABLE token_session (
          id INTEGER PRIMARY KEY AUTOINCREMENT, family BLOB NOT NULL UNIQUE, reader TEXT NOT NULL REFERENCES reader (id), device TEXT,
          begun INTEGER NOT NULL, used INTEGER NOT NULL, refresh BLOB NOT NULL, reused INTEGER NOT NULL DEFAULT 0
        );
        -- What the token that counts was exchanged for, as long as none of these was used.
        CREATE TABLE successor (
          digest BLOB PRIMARY KEY, session INTEGER NOT NULL REFERENCES token_session (id) ON DELETE CASCADE, number INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX successor_of_session ON successor (session, number);
        -- refresh: the refresh token that it was given with.
        CREATE TABLE access_token (
          digest BLOB PRIMARY KEY, session INTEGER NOT NULL REFERENCES token_session (id) ON DELETE CASCADE, refresh BLOB NOT NULL,
          expires INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX access_token_of_session ON access_token (session);
        -- A token of before is a family, its refresh token and its access token, so that neither an old app nor a new one signs anybody out.
        INSERT INTO token_session (reader, begun, used, family, refresh) SELECT reader, begun, used, token_digest, token_digest FROM session;
        INSERT INTO access_token (digest, session, refresh, expires)
          SELECT refresh, id, refresh, used + \(Publication.sessionIdleTimeout) FROM token_session;
        DROP TABLE session;
        ALTER TABLE token_session RENAME TO session;
        CREATE INDEX session_of_reader ON session (reader, used);
        """),
    Migration(
      version: 22,
      sql: """
        -- How often something happened on a day, since 1970 in UTC. Nothing says whose it was.
        CREATE TABLE analytics_count (
          day INTEGER NOT NULL, name TEXT NOT NULL, detail TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (day, name, detail)
        ) WITHOUT ROWID;
        -- Who had how much counted, and that it was: a batch that is sent again is not counted again.
        CREATE TABLE analytics_batch (
          reader TEXT NOT NULL REFERENCES reader (id), id TEXT NOT NULL, events INTEGER NOT NULL, received INTEGER NOT NULL,
          PRIMARY KEY (reader, id)
        ) WITHOUT ROWID;
        CREATE INDEX analytics_batch_by_time ON analytics_batch (received);
        CREATE INDEX analytics_batch_of_reader ON analytics_batch (reader, received, events);
        """),
    Migration(
      version: 23,
      sql: """
        -- digest: of the challenge that the client has. code: of challenge and code. email: as it was asked for, a reader's or not.
        CREATE TABLE mailed_code (
          digest BLOB PRIMARY KEY, code BLOB NOT NULL, email TEXT NOT NULL, client TEXT, asked INTEGER NOT NULL, tries INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX mailed_code_by_email ON mailed_code (email, asked);
        CREATE INDEX mailed_code_by_time ON mailed_code (asked);
        """),
    Migration(
      version: 24,
      sql: """
        -- Accounts at identity providers that sign readers in. first: the reader came by it.
        CREATE TABLE identity (
          issuer TEXT NOT NULL, subject TEXT NOT NULL, reader TEXT NOT NULL REFERENCES reader (id), first INTEGER NOT NULL,
          linked INTEGER NOT NULL, PRIMARY KEY (issuer, subject)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX identity_of_reader ON identity (reader, issuer);
        """),
    Migration(
      version: 25,
      sql: """
        -- With the club: posts of removed clubs, of which there may be hundreds of thousands, are passed without reading them.
        DROP INDEX post_by_time;
        CREATE INDEX post_by_time ON post (published, id, fan_club);
        """),
    Migration(
      version: 26,
      sql: """
        -- What the provider calls the account, for the reader to tell it from others.
        ALTER TABLE identity ADD COLUMN account TEXT;
        """),
    Migration(
      version: 27,
      sql: """
        -- Whose marks are on the posts of a club, which may be removed unless somebody's are.
        CREATE INDEX bookmark_of_post ON bookmark (post);
        CREATE INDEX unlock_of_post ON unlock (post);
        CREATE INDEX fan_club_of_reader ON fan_club (added_by) WHERE added_by IS NOT NULL;
        -- They go with the last post of a club and not with the club: until then they say whose read marks there are, and marks come and go.
        DROP TRIGGER counts_removed;
        """),
    Migration(version: 28, sql: "ALTER TABLE mailed_code RENAME COLUMN asked TO requested_at"),
    Migration(version: 29, sql: "ALTER TABLE purchase ADD COLUMN extends_access INTEGER NOT NULL DEFAULT 0"),
    Migration(
      version: 30,
      sql: """
        -- The words of premium posts, bodies among them, for those who may read them. In post_search they have no bodies.
        CREATE VIRTUAL TABLE premium_search USING fts5 (
          title, byline, teaser, body, tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3'
        );
        DROP TRIGGER post_changed;
        CREATE TRIGGER post_changed AFTER UPDATE OF title, byline, teaser, body, premium ON post BEGIN
          INSERT OR IGNORE INTO search_queue (post) VALUES (new.number);
        END;
        -- At once: until its words are indexed again, everybody would find the body.
        CREATE TRIGGER post_locked AFTER UPDATE OF premium ON post WHEN new.premium AND NOT old.premium BEGIN
          DELETE FROM post_search WHERE rowid = new.number;
        END;
        DROP TRIGGER post_removed;
        CREATE TRIGGER post_removed AFTER DELETE ON post BEGIN
          DELETE FROM search_queue WHERE post = old.number;
          DELETE FROM post_search WHERE rowid = old.number;
          DELETE FROM premium_search WHERE rowid = old.number;
        END;
        DELETE FROM post_search WHERE rowid IN (SELECT number FROM post WHERE premium);
        INSERT OR IGNORE INTO search_queue (post) SELECT number FROM post WHERE premium;
        """),
    Migration(
      version: 31,
      sql: """
        -- How many bytes of text the posts of a club have.
        ALTER TABLE post_count ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
        UPDATE post_count SET bytes = (SELECT coalesce(sum(\(bytes(of: "post"))), 0) FROM post WHERE post.fan_club = post_count.fan_club);
        DROP TRIGGER post_counted;
        CREATE TRIGGER post_counted AFTER INSERT ON post BEGIN
          INSERT INTO post_count (fan_club, posts, bytes) VALUES (new.fan_club, 1, \(bytes(of: "new")))
            ON CONFLICT (fan_club) DO UPDATE SET posts = posts + 1, bytes = bytes + excluded.bytes;
        END;
        DROP TRIGGER post_discounted;
        CREATE TRIGGER post_discounted AFTER DELETE ON post BEGIN
          UPDATE post_count SET posts = posts - 1, bytes = bytes - \(bytes(of: "old")) WHERE fan_club = old.fan_club;
        END;
        CREATE TRIGGER post_recounted AFTER UPDATE OF teaser, body, enclosures ON post BEGIN
          UPDATE post_count SET bytes = bytes + \(bytes(of: "new")) - \(bytes(of: "old")) WHERE fan_club = new.fan_club;
        END;
        """),
    Migration(
      version: 32,
      // With the columns of its condition, or the rows would be read for them.
      sql: """
        CREATE INDEX purchase_in_force ON purchase (expires, paid, state, kind) WHERE state = 'paid' AND kind <> 'consumable';
        """),
    Migration(
      version: 33,
      sql: """
        -- How many readers reacted to a post, by kind: to count them takes as long as there are reactions. Not of kinds that nobody chose.
        CREATE TABLE reaction_count (
          post TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (post, kind)
        ) WITHOUT ROWID;
        INSERT INTO reaction_count (post, kind, count) SELECT post, kind, count(*) FROM reaction GROUP BY 1, 2;
        CREATE TRIGGER reaction_counted AFTER INSERT ON reaction BEGIN
          INSERT INTO reaction_count (post, kind, count) VALUES (new.post, new.kind, 1)
            ON CONFLICT (post, kind) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER reaction_discounted AFTER DELETE ON reaction BEGIN
          UPDATE reaction_count SET count = count - 1 WHERE post = old.post AND kind = old.kind;
          DELETE FROM reaction_count WHERE post = old.post AND kind = old.kind AND count = 0;
        END;
        CREATE TRIGGER reaction_recounted AFTER UPDATE OF kind ON reaction WHEN old.kind <> new.kind BEGIN
          UPDATE reaction_count SET count = count - 1 WHERE post = old.post AND kind = old.kind;
          DELETE FROM reaction_count WHERE post = old.post AND kind = old.kind AND count = 0;
          INSERT INTO reaction_count (post, kind, count) VALUES (new.post, new.kind, 1)
            ON CONFLICT (post, kind) DO UPDATE SET count = count + 1;
        END;
        """),
    Migration(
      version: 34,
      sql: """
        -- Events are counted as they come. They are remembered, without what they said, while a client may send them again.
        CREATE TABLE flag_count (
          flag TEXT NOT NULL REFERENCES flag (name), variant TEXT NOT NULL, kind TEXT NOT NULL, code TEXT NOT NULL, count INTEGER NOT NULL,
          PRIMARY KEY (flag, variant, kind, code)
        ) WITHOUT ROWID;
        INSERT INTO flag_count (flag, variant, kind, code, count)
          SELECT flag, variant, kind, coalesce(code, ''), count(*) FROM flag_event GROUP BY 1, 2, 3, 4;
        -- Who was on which side of a flag.
        CREATE TABLE flag_reader (
          flag TEXT NOT NULL REFERENCES flag (name), variant TEXT NOT NULL, reader TEXT NOT NULL REFERENCES reader (id),
          PRIMARY KEY (flag, variant, reader)
        ) WITHOUT ROWID;
        INSERT INTO flag_reader (flag, variant, reader) SELECT DISTINCT flag, variant, reader FROM flag_event;
        CREATE INDEX flag_reader_of_reader ON flag_reader (reader);
        DROP INDEX flag_event_by_bucket;
        ALTER TABLE flag_event DROP COLUMN variant;
        ALTER TABLE flag_event DROP COLUMN kind;
        ALTER TABLE flag_event DROP COLUMN code;
        -- Before events are counted, the reader's of the last day are.
        CREATE INDEX flag_event_of_reader ON flag_event (reader, received);
        CREATE INDEX flag_event_by_time ON flag_event (received);
        """),
    Migration(
      version: 35,
      sql: """
        -- reader: the order's. Before an order is charged, those of its reader that may be charged already are looked for.
        ALTER TABLE attempt ADD COLUMN reader TEXT;
        UPDATE attempt SET reader = (SELECT reader FROM purchase WHERE purchase.id = attempt.purchase);
        CREATE INDEX open_attempt_of_reader ON attempt (reader) WHERE ended IS NULL;
        -- So are those that wait for approval. Those that were never paid may be tens of thousands.
        CREATE INDEX purchase_of_reader_by_state ON purchase (reader, state, number, created);

        -- How many readers follow a club: to count them takes as long as there are followers.
        ALTER TABLE fan_club ADD COLUMN followers INTEGER NOT NULL DEFAULT 0;
        UPDATE fan_club SET followers = (SELECT count(*) FROM follow WHERE follow.fan_club = fan_club.id);
        CREATE TRIGGER follower_counted AFTER INSERT ON follow BEGIN
          UPDATE fan_club SET followers = followers + 1 WHERE id = new.fan_club;
        END;
        CREATE TRIGGER follower_discounted AFTER DELETE ON follow BEGIN
          UPDATE fan_club SET followers = followers - 1 WHERE id = old.fan_club;
        END;

        -- How many comments a post has that are not deleted. Not in its row, which would be written again with its body. Not of posts without.
        CREATE TABLE comment_count (post TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
        INSERT INTO comment_count (post, count) SELECT post, count(*) FROM comment WHERE NOT deleted GROUP BY post;
        CREATE TRIGGER comment_counted AFTER INSERT ON comment WHEN NOT new.deleted BEGIN
          INSERT INTO comment_count (post, count) VALUES (new.post, 1) ON CONFLICT (post) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER comment_discounted AFTER DELETE ON comment WHEN NOT old.deleted BEGIN
          UPDATE comment_count SET count = count - 1 WHERE post = old.post;
          DELETE FROM comment_count WHERE post = old.post AND count = 0;
        END;
        CREATE TRIGGER comment_recounted AFTER UPDATE OF deleted ON comment WHEN old.deleted <> new.deleted BEGIN
          INSERT INTO comment_count (post, count) SELECT new.post, 1 WHERE NOT new.deleted ON CONFLICT (post) DO UPDATE SET count = count + 1;
          UPDATE comment_count SET count = count - 1 WHERE post = new.post AND new.deleted;
          DELETE FROM comment_count WHERE post = new.post AND count = 0;
        END;

        -- Before a code is mailed, others are counted. With the column of the condition, or the rows would be read for it.
        CREATE INDEX mailed_code_by_client ON mailed_code (client, email);
        CREATE INDEX mailed_code_sent ON mailed_code (requested_at, code) WHERE code <> x'';
        CREATE INDEX mailed_code_unsent ON mailed_code (requested_at, code) WHERE code = x'';
        """),
  ]

  private static func bytes(of post: String) -> String {
    let lengths = ["teaser", "body", "enclosures"].map { "coalesce(length(CAST(\(post).\($0) AS BLOB)), 0)" }
    return "(\(lengths.joined(separator: " + ")))"
  }

  /// Also made before an upgrade that has posts to remove.
  static let deletedComments = "deleted_comment_of_post ON comment (post) WHERE deleted"
}

extension Schema {
  /// Whether there is no database yet. One that is there is not changed.
  /// - Throws: `Publication.Failure` for a file that is no publication's; `SQLiteError`.
  static func isToBeMade(_ path: String) throws -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return true }
    guard !isFolder.boolValue else {
      throw Publication.Failure.unusable(path: path, reason: "it is a folder, and the publication’s database is a file")
    }
    guard access(path, R_OK | W_OK) == 0 else {
      throw Publication.Failure.unusable(path: path, reason: String(cString: strerror(errno)))
    }
    guard !isEmpty(path) else { throw Publication.Failure.emptyDatabase(path: path) }
    // Before it is opened for writing, which would hide that.
    try Connection.checkLength(of: path)
    let tables: Set<String>
    do throws(SQLiteError) { tables = try Connection.tables(in: path) } catch {
      if error.code == .notADatabase { throw Publication.Failure.foreignDatabase(path: path) }
      throw error
    }
    // These are as old as the first version.
    guard tables.isSuperset(of: ["setting", "reader", "purchase"]) else { throw Publication.Failure.foreignDatabase(path: path) }
    return false
  }

  private static func isEmpty(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) == 0
  }

  /// Makes the database atomically: it exists with all its tables, or not at all, and never as an empty file.
  /// - Throws: `SQLiteError`, `MigrationError`; `CocoaError`.
  static func make(_ path: String, _ executor: ThreadExecutor) throws {
    let partial = path + ".partial"
    // Files of a killed process, and the log of a removed database, which SQLite would apply to the new one.
    for file in [partial, partial + "-wal", partial + "-shm", path + "-wal", path + "-shm"] { unlink(file) }
    try fill(partial, executor)
    try FileManager.default.moveItem(atPath: partial, toPath: path)
  }

  private static func fill(_ path: String, _ executor: ThreadExecutor) throws {
    let database = try Connection(path: path, synchronous: .full, executor: executor)
    try database.migrate(migrations)
    try database.script("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
