import { Effect } from "effect"
import type { Economy } from "./Economy.ts"
import type { FaultPlan } from "./FaultPlan.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import type { Link } from "./Link.ts"
import { storesOver } from "./LinkedStores.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Environment } from "./Server.ts"
import type { SimulatedFacilitator } from "./SimulatedFacilitator.ts"
import type { SimulatedHost } from "./SimulatedHost.ts"
import { simulatedSecrets } from "./SimulatedSecrets.ts"
import type { Connection, Storage } from "./Storage.ts"

/** Connects a process to the simulated services, so that every call goes over its link. */
export const environmentOf = (options: {
  readonly link: Link
  readonly connection: Connection
  readonly storage: Storage
  readonly checker: InvariantChecker
  readonly facilitator: SimulatedFacilitator
  readonly economy: Economy
  readonly host: SimulatedHost
  readonly faultPlan: FaultPlan
  readonly random: SeededRandom
  /** True time, which a database returns. */
  readonly now: () => number
  readonly onEvent: Environment["onEvent"]
}): Environment => {
  const { checker, connection, economy, facilitator, faultPlan, host, link, random, storage } = options
  return {
    stores: storesOver(connection, link, checker, storage.isLocal),
    storeClock: storage.isLocal ? undefined : { nowMillis: Effect.sync(options.now) },
    facilitator: {
      verify: (payment) => link.call("facilitator.verify", () => facilitator.verify(payment)),
      settle: (payment) => {
        let fromMillis = 0
        const settle = () => {
          const settled = facilitator.settle(payment)
          fromMillis = settled.fromMillis
          return settled.response
        }
        return link.call("facilitator.settle", settle, () => fromMillis)
      }
    },
    chain: economy.portOf(link),
    node: (request) => economy.node.respond(request),
    confirmations: faultPlan.confirmations,
    finalitySeconds: faultPlan.finalitySeconds,
    settlesFirst: faultPlan.settlesFirst,
    secrets: simulatedSecrets(random.branch()),
    ports: host.portsOf(link),
    maxTimeoutSeconds: faultPlan.maxTimeoutSeconds,
    unsettledPerPayer: faultPlan.unsettledPerPayer,
    onEvent: options.onEvent
  }
}
