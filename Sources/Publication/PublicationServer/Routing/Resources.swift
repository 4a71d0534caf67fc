import PublicationAPI

/// What answers the calls of each resource, made of what the publication has at that moment. It works where the publication does.
extension Publication {
  var about: PublicationResource {
    get throws {
      PublicationResource(
        content: try content, offersSampleAccount: offersSampleAccount, hasPages: pages != nil, canAddFeeds: feeds?.readersMayAdd ?? false)
    }
  }

  var posts: PostResource {
    get throws {
      PostResource(
        content: try content, orders: try orderBook, clock: clock, isSweeping: !removedClubs.isEmpty, readAllTurns: readAllTurns,
        bodyTurns: bodyTurns, unreadTurns: unreadTurns)
    }
  }

  var comments: CommentResource { get throws { CommentResource(comments: try remarks, posts: try posts, clock: clock) } }

  var fanClubs: FanClubResource {
    get throws {
      FanClubResource(content: try content, showsFeeds: feeds?.readersMayAdd ?? false) { id in
        // Added again it is fetched again.
        self.recent[id] = nil
        self.sweepSoon([id])
      }
    }
  }

  var catalog: CatalogResource { get throws { CatalogResource(content: try content) } }

  var balances: BalanceResource { get throws { BalanceResource(balances: try purse, posts: try posts, clock: clock) } }

  var flagResource: FlagResource { get throws { FlagResource(flags: try switches, clock: clock) } }

  var search: SearchResource {
    get throws {
      SearchResource(words: try words, orders: try orderBook, fanClubs: try fanClubs, clock: clock, turns: searchTurns) { [weak self] in
        try await self?.indexPart() ?? false
      }
    }
  }

  var receipts: ReceiptResource {
    get throws {
      ReceiptResource(
        content: try content, orders: try orderBook, keys: try keys, clock: clock, signingKey: { try self.signingKey },
        replaceKey: { try self.replaceKey($0) })
    }
  }

  var doubt: ClockDoubt { get throws { ClockDoubt(orders: try orderBook, clock: clock, report: report) } }

  var checkouts: CheckoutResource {
    get throws {
      CheckoutResource(
        checkouts: try pageBook, orders: try orderBook, content: try content, gateway: gateway, clock: clock, pages: pages, report: report)
    }
  }

  var orders: OrderResource {
    get throws {
      OrderResource(
        orders: try orderBook, content: try content, receipts: try receipts, checkouts: try checkouts, doubt: try doubt, clock: clock)
    }
  }

  var sessionResource: SessionResource {
    get throws {
      SessionResource(
        readers: try readers, content: try content, hasher: hasher, throttle: throttle, sessions: sessions, imports: imports, clock: clock,
        offersSampleAccount: offersSampleAccount)
    }
  }

  var readerResource: ReaderResource {
    get throws {
      ReaderResource(
        readers: try readers, orders: try orderBook, hasher: hasher, sessions: sessions, imports: imports, clock: clock,
        identifiers: identifiers)
    }
  }
}
