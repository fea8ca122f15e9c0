import { testSimulation } from "./simulationTests.ts"

testSimulation({ store: "sqlite", firstSeed: 1_701, seeds: 3 })
