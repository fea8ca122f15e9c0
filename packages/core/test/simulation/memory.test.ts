import { testSimulation } from "./simulationTests.ts"

testSimulation({ store: "memory", firstSeed: 1, seeds: 30, failedOnce: [681] })
