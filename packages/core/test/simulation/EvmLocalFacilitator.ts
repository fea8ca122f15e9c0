import { Effect, References } from "effect"
import { HttpClient } from "effect/http"
import { checkSettings } from "../../../providers/src/facilitator/FacilitatorSettings.ts"
import { makeFacilitatorOver } from "../../../providers/src/facilitator/LocalFacilitator.ts"
import type { SettlementJournal } from "../../../providers/src/facilitator/SettlementJournal.ts"
import type { UnsignedTransaction } from "../../../providers/src/facilitator/SigningAccount.ts"
import type { Chain } from "../../src/toll/evidence/Chain.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import { rpcClientOf } from "./chain/rpcClientOf.ts"
import type { RpcRequest } from "./chain/RpcNode.ts"
import { relayerAddress, signAsRelayer } from "./chain/SignedTransaction.ts"
import type { Link } from "./Link.ts"

/*
 * The facilitator in a till's own process, on an EVM chain: the production code that checks, signs, records, sends,
 * replaces and looks for settlements, in the virtual time of its process.
 */

export interface EvmLocalFacilitatorOptions {
  /** Outlives every process. */
  readonly journal: SettlementJournal
  readonly confirmations: number
  readonly respond: (request: RpcRequest) => unknown
  /** The chain, as the process reads it. */
  readonly chain: Chain["Service"]
}

/** A journal whose calls go over the link of a process. */
const journalOver = ({ callLater }: Link, journal: SettlementJournal): SettlementJournal => {
  // A link has no response without a value.
  const call = async <A>(name: string, run: () => Promise<A>): Promise<A> => {
    const response = await callLater<{ readonly value: A }>(name, (report) => {
      void run().then((value) => report({ value }, 0))
    })
    return response.value
  }
  return {
    insert: (record) => call("journal.insert", () => journal.insert(record)),
    find: (key) => call("journal.find", () => journal.find(key)),
    at: (...number) => call("journal.at", () => journal.at(...number)),
    since: (...number) => call("journal.since", () => journal.since(...number))
  }
}

/** The facilitator of one process. */
export const evmLocalFacilitatorOver = (
  link: Link,
  { chain, confirmations, journal, respond }: EvmLocalFacilitatorOptions
): FacilitatorClient => {
  const account = {
    address: relayerAddress,
    signTransaction: (transaction: UnsignedTransaction) =>
      link.call("host.sign", () => signAsRelayer(transaction))
  }
  const options = {
    account,
    networks: [{ network: "base-sepolia", rpcUrl: "https://chain.invalid", confirmations }],
    journal: journalOver(link, journal)
  }
  const client = Effect.runSync(
    Effect.provideService(
      Effect.flatMap(checkSettings(options), (settings) =>
        makeFacilitatorOver(settings, options, Effect.succeed(chain))
      ),
      HttpClient.HttpClient,
      rpcClientOf(link, respond)
    )
  )
  // A till's log is part of its trace; that of its facilitator isn't.
  const run = <A, E>(effect: Effect.Effect<A, E>) =>
    link.run(Effect.provideService(effect, References.MinimumLogLevel, "None"))
  return {
    verify: (payment, requirements) => run(client.verify(payment, requirements)),
    settle: (payment, requirements) => run(client.settle(payment, requirements, "till")),
    getSupported: async () => client.supported
  }
}
