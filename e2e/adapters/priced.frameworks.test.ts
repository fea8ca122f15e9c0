import { pricedHosts } from "./pricedHosts.ts"
import { pricedSuite } from "./pricedSuite.ts"

/*
 * One suite for `priced` of every framework, over handlers as the framework's users write them. Hono has tests of its
 * own; the same suite is in the deep tests, with Express 4 and Koa 2.
 */

for (const name of ["Express 5", "Fastify", "Koa 3"] as const) pricedSuite(name, pricedHosts[name])
