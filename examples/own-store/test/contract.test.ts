import { contractTests, isDeep, otherPlans } from "./contractTests.ts"

contractTests((name) => !isDeep(name))
contractTests((name) => /due ones are taken|respects its limit/.test(name), otherPlans)
