import { testSimulation } from "./simulationTests.ts"

testSimulation("postgres", 2_001, 100)
