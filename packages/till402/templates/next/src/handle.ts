import { till } from "./till.ts"

/** Leaves a request to the till. */
export const handle = async (request: Request): Promise<Response> => (await till()).fetch(request)
