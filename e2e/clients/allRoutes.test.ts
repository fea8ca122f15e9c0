import { allRoutesTests } from "./allRoutesTests.ts"

allRoutesTests("hono", { clients: ["version 2 (@x402/fetch)", "version 1 (x402-fetch)"], others: true })
// allRoutes.deep.test.ts has the rest of these.
allRoutesTests("express", { clients: ["version 2 (@x402/fetch)"], others: false })
allRoutesTests("koa", { clients: ["version 2 (@x402/fetch)"], others: false })
