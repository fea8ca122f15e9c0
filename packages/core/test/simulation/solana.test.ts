import { testSimulation } from "./simulationTests.ts"

testSimulation("memory", 1, 200, "solana")
