import { testSimulation } from "./simulationTests.ts"

testSimulation({ store: "memory", rail: "solana", firstSeed: 2_050, seeds: 400, coversAll: true })
