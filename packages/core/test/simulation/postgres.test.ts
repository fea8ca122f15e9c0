import { testSimulation } from "./simulationTests.ts"

testSimulation({ store: "postgres", firstSeed: 2_001, seeds: 2, repeated: 0 })
