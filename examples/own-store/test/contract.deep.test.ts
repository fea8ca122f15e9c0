import { contractTests, isOfMoney, otherPlans } from "./contractTests.ts"

contractTests((name) => !isOfMoney(name))
contractTests((name) => /due ones are taken|respects its limit/.test(name), otherPlans)
