import { koa2Hosts, koaHosts } from "./koa.ts"
import { adapterSuite } from "./suite.ts"

adapterSuite("Koa 3", koaHosts)
adapterSuite("Koa 2", koa2Hosts)
