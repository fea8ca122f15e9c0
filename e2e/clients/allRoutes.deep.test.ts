import { allRoutesTests } from "./allRoutesTests.ts"

allRoutesTests("express", { clients: ["version 1 (x402-fetch)"], others: true })
allRoutesTests("koa", { clients: ["version 1 (x402-fetch)"], others: true })
