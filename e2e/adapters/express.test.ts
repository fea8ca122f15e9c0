import { expressHosts } from "./express.ts"
import { adapterSuite } from "./suite.ts"

adapterSuite("Express", expressHosts)
