import { Context, Effect, Layer } from "effect"
import { Chain } from "../toll/evidence/Chain.ts"
import { guardedChain } from "../toll/evidence/guardedChain.ts"
import { isOwnChain } from "../toll/evidence/ownChains.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import { FacilitatorGroup } from "../toll/facilitator/FacilitatorGroup.ts"
import { guardedFacilitator } from "../toll/facilitator/guardedFacilitator.ts"

/*
 * Facilitator and chain as the till uses them: those that a host wrote as services are guarded, as its other ports are.
 */

const givenOf = new WeakMap<object, unknown>()

/** The service of the host that a guarded one calls; any other value as it is. */
export const unguarded = (service: unknown): unknown =>
  typeof service === "object" && service !== null ? (givenOf.get(service) ?? service) : service

const guarded = <Service extends object>(given: Service, guard: (given: Service) => Service): Service => {
  // What is no object at all is named by the check of ports.
  if (typeof given !== "object" || given === null) return given
  const service = guard(given)
  givenOf.set(service, given)
  return service
}

export const guardedServices: Layer.Layer<Facilitator | Chain, never, Facilitator | Chain> =
  Layer.effectContext(
    Effect.gen(function* () {
      const facilitator = yield* Facilitator
      const chain = yield* Chain
      const isOwn = facilitator instanceof FacilitatorGroup
      return Context.make(Facilitator, isOwn ? facilitator : guarded(facilitator, guardedFacilitator)).pipe(
        Context.add(Chain, isOwnChain(chain) ? chain : guarded(chain, guardedChain))
      )
    })
  )
