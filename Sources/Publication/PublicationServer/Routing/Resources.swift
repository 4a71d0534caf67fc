import PublicationAPI

/// The handlers of each resource, made of the publication's present state. They run where the publication does.
extension Publication {
  var about: PublicationResource {
    get throws {
      PublicationResource(
        content: try content, offersSampleAccount: offersSampleAccount, hasPages: pages != nil, canAddFeeds: feeds?.readersMayAdd ?? false,
        mailsCodes: mails != nil, identityProviders: identityService?.offered ?? [], service: try serviceRepository)
    }
  }

  var posts: PostResource {
    get throws {
      PostResource(
        content: try content, orders: try orderRepository, clock: clock, isSweeping: !removedClubs.isEmpty, readAllTurns: readAllTurns,
        partTurns: partTurns, listTurns: listTurns)
    }
  }

  var comments: CommentResource { get throws { CommentResource(comments: try commentRepository, posts: try posts, clock: clock) } }

  var fanClubs: FanClubResource {
    get throws {
      FanClubResource(
        content: try content, showsFeeds: feeds?.readersMayAdd ?? false, mayRemove: { try await self.mayRemoveClub() }
      ) { id in
        // Added again it is fetched again.
        self.recent[id] = nil
        self.sweepSoon([id])
      }
    }
  }

  var catalog: CatalogResource { get throws { CatalogResource(content: try content) } }

  var balances: BalanceResource { get throws { BalanceResource(balances: try balanceRepository, posts: try posts, clock: clock) } }

  var flagResource: FlagResource { get throws { FlagResource(flags: try flagRepository, clock: clock) } }

  var analytics: AnalyticsResource { get throws { AnalyticsResource(analytics: try analyticsRepository, clock: clock) } }

  var search: SearchResource {
    get throws {
      SearchResource(words: try searchRepository, orders: try orderRepository, fanClubs: try fanClubs, clock: clock, turns: searchTurns) {
        [weak self] in
        try await self?.indexPart() ?? false
      }
    }
  }

  var receipts: ReceiptResource {
    get throws {
      ReceiptResource(
        content: try content, orders: try orderRepository, keys: try keys, clock: clock, signingKey: { try self.signingKey },
        replaceKey: { try self.replaceKey($0) })
    }
  }

  var doubt: ClockDoubt { get throws { ClockDoubt(orders: try orderRepository, clock: clock, log: log) } }

  var checkouts: CheckoutResource {
    get throws {
      CheckoutResource(
        checkouts: try checkoutRepository, orders: try orderRepository, content: try content, readers: try readers, gateway: gateway,
        clock: clock, random: random, pages: pages, log: log)
    }
  }

  var postPages: PostPageResource {
    get throws { PostPageResource(content: try content, pages: pages) }
  }

  var orders: OrderResource {
    get throws {
      OrderResource(
        orders: try orderRepository, content: try content, receipts: try receipts, checkouts: try checkouts, doubt: try doubt, clock: clock)
    }
  }

  var sessionResource: SessionResource {
    get throws {
      SessionResource(
        readers: try readers, content: try content, hasher: hasher, throttle: throttle, sessions: sessions, imports: imports, clock: clock,
        random: random, offersSampleAccount: offersSampleAccount)
    }
  }

  var identityResource: IdentityResource {
    get throws {
      IdentityResource(
        identities: try identities, service: identityService, session: try sessionResource, identifiers: identifiers, arrivals: arrivals,
        log: log, use: { self.useToken($0, until: $1) })
    }
  }

  var service: ServiceResource {
    get throws { ServiceResource(service: try serviceRepository, clock: clock, shown: maintenanceSign) }
  }

  var codeResource: CodeResource { get throws { CodeResource(codes: try codes, mails: mails, session: try sessionResource) } }

  var readerResource: ReaderResource {
    get throws {
      ReaderResource(
        session: try sessionResource, orders: try orderRepository, identifiers: identifiers,
        removeActivity: { try await self.removeActivity(of: $0) })
    }
  }

  var charging: ChargeResource {
    get throws {
      ChargeResource(
        orders: try orders, gateway: gateway, log: log, isEnding: { [self] in isEnding },
        perform: { try await self.perform($0, isCharge: $1, $2) }, mayCheckApproval: { self.mayCheckApproval(of: $0) },
        resumeLater: { if !self.isEnding { self.startResumingCharges() } })
    }
  }

  var importResource: ImportResource {
    get throws {
      let work = ImportWork(
        reader: feedReader, limits: importLimits, clock: clock, log: log, store: { [self] in try await store($0, as: $1, $2).clubs },
        refresh: { [self] in try await refreshNow($0, $1, for: $2) })
      return ImportResource(
        content: try content, feeds: try feedRepository, service: feeds, desk: imports, work: work, identifiers: identifiers)
    }
  }
}
