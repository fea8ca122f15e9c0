import { testSimulation } from "./simulationTests.ts"

testSimulation("memory", 1, 300, "solana")
