import { testSimulation } from "./simulationTests.ts"

testSimulation("sqlite", 1_701, 300)
