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
      mistake: "is reported with an account of a program, such as that of a multisig beside its vault",
      works: "is taken with a wallet, and with the vault of a multisig, at which there is no account",
      text: "the vault of a Squads multisig"
    }
  ],
  [`${till}/moneyCheck.test.ts`]: [
    {
      mistake: "refuses a facilitator that moves no money, also as one of several",
      works: "takes it in a test",
      text: "facilitator moves no money, so everything would be free on base"
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
    }
  ],
  [`${till}/settings/TillConfig.test.ts`]: [
    {
      mistake: "is refused where it misspells another: %s",
      works: "is reported, and stops no till: %s",
      text: "there is no variable TILL_PRICE_TRACK: did you mean TILL_PRICES_TRACK?"
    }
  ],
  "packages/core/test/stores/schema/upgrades.test.ts": [
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
