import { testSimulation } from "./simulationTests.ts"

testSimulation("memory", 1, 1_700)
