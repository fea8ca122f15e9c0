import { chargeCases } from "./stores/chargeCases.ts"
import { orderCases } from "./stores/orderCases.ts"
import { quoteCases } from "./stores/quoteCases.ts"
import { randomCases } from "./stores/randomCases.ts"
import type { StoreCase } from "./stores/StoreCase.ts"
import { vaultCases } from "./stores/vaultCases.ts"

export { chargeCases } from "./stores/chargeCases.ts"
export { restartedModelCase, storeModelCase } from "./stores/randomCases.ts"
export { chargeRestartCases, restartCases } from "./stores/restartCases.ts"
export {
  type WithStores as Opened,
  type RestartCase,
  type StoreCase,
  StoreContractViolation
} from "./stores/StoreCase.ts"

/**
 * The contract of the stores, including races, as test cases for any test runner.
 *
 * Every case needs empty stores. Persistent stores also run `restartCases`. A store of charges alone runs `chargeCases`
 * and `chargeRestartCases`. For stores in plain TypeScript, see `storeTests`.
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
