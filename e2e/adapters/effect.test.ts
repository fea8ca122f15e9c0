import { effectHosts } from "./effect.ts"
import { adapterSuite } from "./suite.ts"

adapterSuite("Effect", effectHosts)
