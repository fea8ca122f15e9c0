import { contenders } from "/work/main/bench/src/servers.ts"
import { walletPayments, signedPayments } from "/work/main/bench/src/payments.ts"
const which = process.argv[2] === "official" ? await contenders.hono.official(process.argv[3]==="signed") : await contenders.hono.ours()
const { headers } = await which.call("/x402/search")
const ch = JSON.parse(Buffer.from(headers.get("payment-required")!, "base64").toString())
const signed = process.argv[3] === "signed"
const n = signed ? 600 : 30000
const hs = await (signed ? signedPayments : walletPayments)(ch.accepts[0], ch.resource, n)
let i = 0; const t = performance.now(); const c0 = process.cpuUsage()
await Promise.all(Array.from({ length: 32 }, async () => { while (i < n) { const r = await which.call("/x402/search?q=mouse", { "payment-signature": hs[i++]! }); if (r.status !== 200) throw new Error(String(r.status)) } }))
const cpu = process.cpuUsage(c0)
console.log((n / (performance.now() - t) * 1000).toFixed(0), "per s;", ((performance.now() - t) / n * 1000).toFixed(0), "us wall", (cpu.user + cpu.system) / n, "us cpu")
await which.stop()
