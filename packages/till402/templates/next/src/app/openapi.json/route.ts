import { handle } from "../../handle.ts"

export { handle as GET }
