export { startFacilitator, type FacilitatorSetup, type LocalFacilitator } from "./Facilitator.ts"
