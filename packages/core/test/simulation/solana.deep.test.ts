import { testSimulation } from "./simulationTests.ts"

testSimulation({
  store: "memory",
  rail: "solana",
  firstSeed: 4_400,
  seeds: 400,
  rare: [5_080, 5_290, 6_848],
  coversAll: true
})

testSimulation({ store: "memory", rail: "solana", firstSeed: 3, seeds: 2, repeated: 0 })
