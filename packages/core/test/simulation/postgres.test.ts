import { simulationOn } from "./promises.ts"

simulationOn("postgres", 2_001, 100)
