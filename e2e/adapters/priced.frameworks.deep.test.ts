import { pricedHosts } from "./pricedHosts.ts"
import { pricedSuite } from "./pricedSuite.ts"

for (const name of ["Hono", "Express 4", "Koa 2"] as const) pricedSuite(name, pricedHosts[name])
