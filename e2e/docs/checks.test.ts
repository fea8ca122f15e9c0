import { expect, it } from "vitest"
import { read } from "./documents.ts"

/*
 * Mistakes that a till names before the first payment, each with the honest situation beside it: which tests show both, and
 * the text of docs/checks.md.
 */

interface Pair {
  readonly mistake: string
  readonly works: string
  readonly text: string
}

const till = "packages/core/test/till"

const pairs: Readonly<Record<string, ReadonlyArray<Pair>>> = {
  [`${till}/chainCheck.test.ts`]: [
    {
      mistake: "of another chain is refused, with both",
      works: "of the right chain is taken without a word",
      text: "reads another chain: its node is on eip155:8453"
    },
    {
      mistake: "that can't be reached or asks for a key is one event with host and status",
      works: "is withdrawn after three failed reads in a row, and offered again after one that succeeds",
      text: "chain_unreadable"
    },
    { mistake: '"lags"', works: "that %s is reported, once", text: "the age of its newest block" },
    {
      mistake: "is refused with the dollar's own contract as payTo, and reported with another token's",
      works: "a Safe, whose code is no token's",
      text: "a Safe and other wallets that are contracts"
    },
    {
      mistake: "that is a website is one event with its host",
      works: "of the right chain is taken without a word",
      text: "is a website's"
    },
    {
      mistake: "is reported with an account of a program, such as that of a multisig beside its vault",
      works: "is taken with a wallet, and with the vault of a multisig, at which there is no account",
      text: "the vault of a Squads multisig"
    }
  ],
  [`${till}/moneyCheck.test.ts`]: [
    {
      mistake: "is reported once in production, since nothing that is paid has any value",
      works: "is not reported on this machine, where the host allows it, or outside of production",
      text: "nothing that is paid has any value"
    },
    {
      mistake: "refuses a facilitator that moves no money, also as one of several",
      works: "takes it in a test",
      text: "facilitator moves no money, so everything is free on base"
    },
    {
      mistake: "refuses ports of a sample shop or a test, given as options or as layers",
      works: "takes what suits a test %s",
      text: "real money is paid for what is made up"
    },
    {
      mistake: "reports a mailer that sends none, where sales have mails",
      works: "reports sales without a mailer, and none with one",
      text: "Buyers get no mail"
    },
    {
      mistake: "refuses payTo %s",
      works: "takes what suits a test %s",
      text: "money sent there is lost. Give your own wallet's"
    },
    {
      mistake: "reports refunds of another network of Solana, and none of the right one",
      works: "starts without a word with the settings of a shop",
      text: "risky_setting"
    },
    {
      mistake: "a secret in quotes",
      works: "starts without a word with the settings of a shop",
      text: "begins or ends with a quote or white space"
    },
    {
      mistake: "an http address",
      works: "takes http within a machine or a cluster",
      text: "`http:` on this machine or in a cluster"
    },
    {
      mistake: "of play money is refused for real money, and the other way round, unless the host allows it",
      works: "has the totals of real money and play money apart, where one option allows both",
      text: "the ledger's totals stay apart by network"
    },
    {
      mistake: "reports another address or wallet once, with both, and not a network that is new",
      works: "may be copied for staging, which leaves the first as it was",
      text: "a wallet that you changed; a copy for staging"
    },
    {
      mistake: "of real money is refused for a test with play money, which the test leaves as it was",
      works: "of tests takes any networks, addresses and wallets of tests, and no real money later",
      text: "this process is a test that takes play money"
    },
    {
      mistake: "reports sales without a mailer, and none with one",
      works: "takes what suits a test %s",
      text: "Buyers get no mail"
    }
  ],
  "packages/till402/test/doctor.test.ts": [
    {
      mistake: "with another route before the price of a handler",
      works: "with a route of its own alone is healthy too, in a document or named",
      text: "what is sold there is given away"
    }
  ],
  "e2e/adapters/misuse.test.ts": [
    {
      mistake: "an adapter of another framework is named",
      works: "an adapter that gets no till says so when it is mounted",
      text: "and another framework has called it"
    }
  ],
  [`${till}/clockCheck.test.ts`]: [
    {
      mistake: "a till whose host's clock is 5 minutes off",
      works: "sells beside a facilitator whose Date is wrong, which is one event",
      text: "a facilitator whose `Date` is wrong"
    },
    {
      mistake: "compares that one: a database that is 5 minutes off sells nothing",
      works: "sells beside a node that lags, without a word of the clock",
      text: "a node that lags"
    }
  ],
  [`${till}/keyCheck.test.ts`]: [
    {
      mistake: "is refused with another one, under its id or another, and says how to keep both",
      works: "is used with a new one before it, and then without it, since nothing was made under it",
      text: "secret is not the one this database was used with"
    },
    {
      mistake: "is refused while a purchase can be downloaded under it, and leaves nothing behind",
      works: "is let through once the purchase can no longer be downloaded",
      text: 'secret lacks the key "1", under which this database has'
    },
    {
      mistake: "is reported with what is lost, and its purchases are downloaded by the wallet that paid",
      works: "serves a staging copy of a database, whose own keys are others",
      text: "the same secret or the old one in `retiredKeys`"
    }
  ],
  [`${till}/proofCheck.test.ts`]: [
    {
      mistake: "no operation asks for the chain's proof",
      works: "operations above a dollar are sold, and named in one event",
      text: "facilitator_trusted"
    }
  ],
  [`${till}/watchReceipts.test.ts`]: [
    {
      mistake: "gets a cheap call served, and no more payments once two reads have shown it",
      works: "a facilitator whose payment somebody else has sent goes on",
      text: "a payment that somebody else submitted first"
    },
    {
      mistake: "stops its own sales, and not those of another one on the same network",
      works: "is none to stop, if it is for tests",
      text: "the network goes on with others"
    }
  ],
  "packages/core/test/toll/audit/ReceiptAudit.test.ts": [
    {
      mistake: "is confirmed by two reads ten minutes apart",
      works: "may be moved to another block by a reorganization, before or after it was first looked for",
      text: "a block that a reorganization moved"
    },
    {
      mistake: "is found after a restart in between",
      works: "may not be shown yet by a node that lags behind for half an hour",
      text: "a node that lags"
    }
  ],
  "e2e/clients/falseReceipts.deep.test.ts": [
    {
      mistake: "what needs the chain's proof is refused, and a false receipt ends the sales through it",
      works: "an honest facilitator of the same network goes on",
      text: "it gets no more payments, the network goes on with others"
    }
  ],
  [`${till}/facilitatorAddress.test.ts`]: [
    {
      mistake: "a redirect that loses payments is reported once, with where it leads: %i",
      works: "a redirect that keeps payments is not reported: %i",
      text: "redirects by 301, 302 or 303"
    },
    {
      mistake: "%s is reported once, with what to do",
      works: "a redirect that keeps payments is not reported: %i",
      text: "`no_json`, `no_kinds`"
    }
  ],
  "packages/core/test/postgres.test.ts": [
    {
      mistake: "is refused before a buyer's name needs one",
      works: "one that stores bytes as they are is taken",
      text: "stores text as LATIN1"
    },
    {
      mistake: "is refused before payers exceed their limits: %s",
      works: "is one that PostgreSQL isolates as it does by default",
      text: "isolates transactions as"
    },
    {
      mistake: "is known by its setting, and by tables without a log",
      works: "isn't one that writes first",
      text: "if it crashes, it forgets payments that have settled"
    },
    {
      mistake: "are refused where they would be ignored: another schema, and encryption",
      works: "are taken where they change nothing, and where others are there for the same",
      text: "?schema=public&connection_limit=5"
    }
  ],
  "packages/core/test/stores/sqlite/fileRisks.test.ts": [
    {
      mistake: "a file on %s can be lost",
      works: "a file on %s can't",
      text: "mounted without its folder"
    }
  ],
  "packages/core/test/sqlite.test.ts": [
    {
      mistake: "the address of another database",
      works: "keeps everything when it is closed and opened again",
      text: "filename is an address, and sqlite takes the path of a file"
    },
    {
      mistake: "is refused with %s",
      works: "opens the file that it names, and not another one with its text as name",
      text: "turns SQLite's locks off"
    }
  ],
  [`${till}/mountCheck.test.ts`]: [
    {
      mistake: "a mount that isn't the path of %s is reported once, and works",
      works:
        "a mount at the path of baseUrl, at the root behind a proxy, and one that callers choose are not reported",
      text: "mount_differs"
    },
    {
      mistake: "the 404 of a route handler at another path names where paths begin",
      works:
        "a mount at the path of baseUrl, at the root behind a proxy, and one that callers choose are not reported",
      text: "The paths of this service begin with https://shop.example/"
    }
  ],
  [`${till}/proxyCheck.test.ts`]: [
    {
      mistake: "a proxy whose clients aren't known is reported once, and works: %s",
      works: "is not reported: %s",
      text: "client_address_unknown"
    },
    {
      mistake: "the first of the header is reported once it has several, and calls work",
      works: "the last but one, behind two proxies, is not reported",
      text: "or its first address"
    },
    {
      mistake:
        "a clientAddress that never returns an address is reported after 20 requests, unless the framework knows them",
      works: "a host that reads another header decides for itself",
      text: "one that leaves some requests to the framework"
    }
  ],
  [`${till}/portCheck.test.ts`]: [
    {
      mistake: "a port that is a layer is refused at start: %s",
      works:
        "ports that work are taken: with options, with members of their own, of classes, and from functions",
      text: "VaultFiles.maxDownloads must be a whole number between 1 and 1000: got 0"
    },
    {
      mistake: "no marketplace",
      works: "an assistant needs no marketplace",
      text: "Marketplaces is empty: give one, or leave Search.layer out"
    },
    {
      mistake: "an async function",
      works:
        "ports that work are taken: with options, with members of their own, of classes, and from functions",
      text: "Tracker.track is an async function, and must return an Effect"
    },
    {
      mistake: "a misspelled option of an operation is refused, and the host's own isn't",
      works: "startWithOption({ team:",
      text: "operation weather: it has no prof: did you mean proof?"
    },
    {
      mistake: "options of Till.make, and no operation, are refused with what to do",
      works: "an assistant needs no marketplace",
      text: "facilitator is an option of Till.make: provide its layer to Till.layer"
    },
    {
      mistake: "a facilitator with %o ends the start",
      works: "an assistant needs no marketplace",
      text: "facilitator has no setleTimeoutMillis: did you mean settleTimeoutMillis?"
    }
  ],
  [`${till}/settings/TillConfig.test.ts`]: [
    {
      mistake: "is refused where it misspells another: %s",
      works: "is reported, and stops no till: %s",
      text: "there is no variable TILL_PRICE_TRACK: did you mean TILL_PRICES_TRACK?"
    },
    {
      mistake: "is reported with the one that it shortens: %s",
      works: "is not reported where it is for a network of another till in the same environment",
      text: "TILL_RPC_BASE (did you mean TILL_RPC_URL_BASE?)"
    }
  ],
  "packages/core/test/stores/schema/migrationTests.ts": [
    {
      mistake: "lacks an index: the error has the statement that creates it, after which the till starts",
      works: "may have more than is needed",
      text: "an index was dropped"
    },
    {
      mistake:
        "has a table of another program: the error names it, nothing is changed, and a till's own tables are taken",
      works: "may have more than is needed",
      text: "the database has a table of another program"
    }
  ],
  [`${till}/rehearsal.test.ts`]: [
    {
      mistake: "isn't ready where that is another",
      works: "starts where that is its own, and sells",
      text: "constraints that take one network, or its payers, alone"
    }
  ],
  "e2e/adapters/priced.node.test.ts": [
    {
      mistake: "gives nothing away where its handler comes before the price, in the app or in a router of it",
      works: "may follow middleware that serves some for free, and another method's handler",
      text: "middleware that serves some for free, before `priced` and a handler"
    },
    {
      mistake: "gives nothing away where its price is in its config, and says where it belongs: %s",
      works: "runs the hooks of its app: validation, serialization, onSend, onResponse",
      text: "priced route tides has no price"
    }
  ],
  "packages/core/test/stores/sql/rehearsal.test.ts": [
    {
      mistake: "is refused before the first payment where the host has $what",
      works: "works where the host has $what",
      text: "columns that may be empty or have a default, other indexes"
    },
    {
      mistake: "lacks %s: the error has the right to grant, after which the till starts",
      works: "of own routes alone needs no right on the shop's tables",
      text: "without rights on the shop's tables, for own routes alone"
    },
    {
      mistake: "may add no rows for lack of a policy",
      works: "sees no entries for lack of a policy, and all with one",
      text: "a policy of all rows"
    },
    {
      mistake: "a trigger that changes an amount",
      works: "a trigger of PostgreSQL that turns amounts into numbers",
      text: "or sum amounts as numbers"
    },
    {
      mistake: "a CHECK that long orders fail",
      works: "is a busy database, and no wrong one",
      text: "nothing is rehearsed: that is the event `storage_failed`, and the till starts"
    }
  ],
  "packages/core/test/stores/sql/postgresRisks.test.ts": [
    {
      mistake: "without TLS is reported with its cure",
      works: "%s comes over the Internet: %s",
      text: "Add sslmode=verify-full to its url"
    },
    {
      mistake: "reports tables that the role of a web API may read, and none behind row-level security",
      works: "reports nothing of a server as it comes, nor of other roles",
      text: "strangers see addresses and mark refunds as due"
    }
  ],
  "packages/core/test/stores/schema/upgradeTests.ts": [
    {
      mistake: "changes nothing where it is refused, and the version before goes on",
      works: "keeps what a host has added",
      text: "the version before goes on"
    }
  ]
}

for (const [path, ofFile] of Object.entries(pairs))
  it.each(ofFile)(`docs/checks.md and ${path} have both: $mistake`, ({ mistake, text, works }) => {
    const tests = read(path).text
    for (const name of [mistake, works]) expect(tests).toContain(name)
    expect(read("docs/checks.md").text.replaceAll(/\s+/g, " ")).toContain(text)
  })
