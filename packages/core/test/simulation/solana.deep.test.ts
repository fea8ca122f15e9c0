import { testSimulation } from "./simulationTests.ts"

testSimulation({ store: "memory", rail: "solana", firstSeed: 200, seeds: 400, coversAll: true })
