import { testSimulation } from "./simulationTests.ts"

testSimulation({
  store: "memory",
  rail: "solana",
  firstSeed: 1,
  seeds: 2,
  failedOnce: [4_353, 109_713, 118_093]
})
