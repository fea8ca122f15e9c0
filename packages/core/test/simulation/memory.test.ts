import { testSimulation } from "./simulationTests.ts"

testSimulation({ store: "memory", firstSeed: 1, seeds: 4, failedOnce: [681, 100_864, 105_882, 250_780] })
