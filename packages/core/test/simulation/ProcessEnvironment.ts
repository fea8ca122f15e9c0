import { Effect } from "effect"
import type { Economy, FacilitatorChange } from "./Economy.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import { type Outage, outageOf } from "./FacilitatorOutages.ts"
import type { FaultPlan } from "./FaultPlan.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import type { Link } from "./Link.ts"
import type { PowerLoss } from "./PowerLoss.ts"
import { storesOver } from "./LinkedStores.ts"
import { payersWords } from "./Payment.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Environment } from "./Server.ts"
import type { SimulatedFacilitator } from "./SimulatedFacilitator.ts"
import type { SimulatedHost } from "./SimulatedHost.ts"
import { simulatedSecrets } from "./SimulatedSecrets.ts"
import type { Connection, Storage } from "./Storage.ts"

/** Checks what a till sends to a facilitator. */
const checked = (client: FacilitatorClient, checker: InvariantChecker): FacilitatorClient => {
  const check = (...sent: ReadonlyArray<unknown>) => {
    if (JSON.stringify(sent).includes(payersWords))
      checker.violation(undefined, "a facilitator gets what a payer wrote around the signed part")
  }
  return {
    ...client,
    verify: (payment, requirements) => {
      check(payment, requirements)
      return client.verify(payment, requirements)
    },
    settle: (payment, requirements) => {
      check(payment, requirements)
      return client.settle(payment, requirements)
    }
  }
}

/** Calls the facilitator, as one of two that behave alike and fail at times of their own. */
const facilitatorAt = (
  index: number,
  {
    areOutagesOver,
    checker,
    facilitator,
    link,
    now,
    outages
  }: Pick<
    Parameters<typeof environmentOf>[0],
    "areOutagesOver" | "checker" | "facilitator" | "link" | "now" | "outages"
  >
): FacilitatorClient => {
  const during = <A>(run: () => A): A => {
    const outage = areOutagesOver() ? undefined : outageOf(outages, index, now())
    if (outage === undefined) return run()
    checker.count("facilitator outage")
    if (outage.losesResponses) run()
    throw new Error("503 Service Unavailable")
  }
  return {
    verify: (payment) => link.call("facilitator.verify", () => during(() => facilitator.verify(payment))),
    settle: (payment) => {
      return link.callLater("facilitator.settle", (report) =>
        during(() => {
          checker.settleGiven(facilitator.authorizationOf(payment), index)
          facilitator.settle(payment, report)
        })
      )
    },
    ...(facilitator.supported === undefined
      ? {}
      : // A till reads the list when it starts, while the virtual time stands still.
        { getSupported: async () => during(() => facilitator.supported!) })
  }
}

/** What the checker sees of a facilitator in the process. */
const observed = (
  client: FacilitatorClient,
  { checker, facilitator }: Pick<Parameters<typeof environmentOf>[0], "checker" | "facilitator">
): FacilitatorClient => ({
  ...client,
  settle: async (payment, requirements) => {
    const authorization = facilitator.authorizationOf(payment)
    checker.settleGiven(authorization, 0)
    checker.settleRequested(authorization, "clean")
    checker.count("settles by itself")
    const returned = checker.ownSettlementCalled(authorization)
    try {
      const settled = await client.settle(payment, requirements)
      checker.settleResponded(authorization, settled)
      returned(settled)
      return settled
    } catch (error) {
      returned(undefined)
      throw error
    }
  }
})

const facilitatorsOf = (
  options: Parameters<typeof environmentOf>[0]
): Pick<Environment, "facilitator" | "secondFacilitator" | "settlesThrough"> => {
  const settlesThrough = (change?: FacilitatorChange): FacilitatorClient | undefined => {
    const local = options.economy.localFacilitator(options.link, change)
    return local && observed(change?.client?.(local) ?? local, options)
  }
  const { checker, outages } = options
  const facilitator = settlesThrough()
  if (facilitator !== undefined)
    return { facilitator: checked(facilitator, checker), secondFacilitator: undefined, settlesThrough }
  return {
    facilitator: checked(facilitatorAt(0, options), checker),
    secondFacilitator: outages.length === 0 ? undefined : checked(facilitatorAt(1, options), checker)
  }
}

/** Connects a process to the simulated services, so that every call goes over its link. */
export const environmentOf = (options: {
  readonly link: Link
  readonly connection: Connection
  readonly storage: Storage
  readonly checker: InvariantChecker
  readonly powerLoss: PowerLoss
  readonly facilitator: SimulatedFacilitator
  readonly economy: Economy
  readonly host: SimulatedHost
  readonly faultPlan: FaultPlan
  readonly random: SeededRandom
  /** True time, which a database returns. */
  readonly now: () => number
  readonly outages: ReadonlyArray<Outage>
  readonly areOutagesOver: () => boolean
  readonly onEvent: Environment["onEvent"]
}): Environment => {
  const { checker, connection, economy, faultPlan, host, link, random, storage } = options
  return {
    stores: storesOver(connection, link, checker, options.powerLoss, storage.isLocal),
    storeClock: storage.isLocal ? undefined : { nowMillis: Effect.sync(options.now) },
    ...facilitatorsOf(options),
    ...economy.environmentOf(link),
    settlesFirst: faultPlan.settlesFirst,
    secrets: simulatedSecrets(random.branch()),
    ports: host.portsOf(link),
    maxTimeoutSeconds: faultPlan.maxTimeoutSeconds,
    unsettledPerPayer: faultPlan.unsettledPerPayer,
    onEvent: options.onEvent
  }
}
