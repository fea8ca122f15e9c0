import { chargeCases } from "./stores/chargeCases.ts"
import { orderCases } from "./stores/orderCases.ts"
import { quoteCases } from "./stores/quoteCases.ts"
import { randomCases } from "./stores/randomCases.ts"
import type { StoreCase } from "./stores/StoreCase.ts"
import { vaultCases } from "./stores/vaultCases.ts"

export { restartedModelCase, storeModelCase } from "./stores/randomCases.ts"
export { restartCases } from "./stores/restartCases.ts"
export { type Opened, type RestartCase, type StoreCase, StoreContractViolation } from "./stores/StoreCase.ts"

/**
 * What every implementation of the stores promises, races included: a host that brings its own storage
 * runs these under its own test runner. Each case needs stores that are empty. Stores that outlive their
 * process run `restartCases` as well.
 *
 * @example
 * for (const { name, run } of storeCases)
 *   test(name, () => Effect.runPromise(Effect.provide(run, myStores())))
 */
export const storeCases: ReadonlyArray<StoreCase> = [
  ...chargeCases,
  ...quoteCases,
  ...orderCases,
  ...vaultCases,
  ...randomCases
]
