import { testSimulation } from "./simulationTests.ts"

testSimulation({ store: "memory", firstSeed: 1, seeds: 12, failedOnce: [681] })
