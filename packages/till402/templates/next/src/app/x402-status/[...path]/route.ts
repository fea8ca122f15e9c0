import { handle } from "../../../handle.ts"

export { handle as GET, handle as HEAD, handle as OPTIONS, handle as POST }
