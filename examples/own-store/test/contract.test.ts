import { contractTests, isDeep } from "./contractTests.ts"

contractTests((name) => !isDeep(name))
