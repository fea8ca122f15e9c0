import { request } from "node:http"

/** The status of a request that names a host, as a browser that resolves this name sends it. */
export const statusAt = (url: string, host: string, body?: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host }, method: body === undefined ? "GET" : "POST" }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode))
    })
      .on("error", reject)
      .end(body)
  })
