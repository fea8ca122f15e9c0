import { koaHosts } from "./koa.ts"
import { adapterSuite } from "./suite.ts"

adapterSuite("Koa", koaHosts)
