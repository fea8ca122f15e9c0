import { simulationOn } from "./promises.ts"

simulationOn("memory", 1, 1_700)
