import { afterAll, beforeAll, describe } from "vitest"
import { largeCase } from "./bucketCases.ts"
import { key, region, startFakeS3 } from "./fakeS3.ts"

describe("s3Storage, on a fake of S3 that checks signatures, lengths and digests", () => {
  let fake: Awaited<ReturnType<typeof startFakeS3>>
  beforeAll(async () => {
    fake = await startFakeS3()
  })
  afterAll(() => fake.stop())

  largeCase(() => ({ ...key, region, bucket: fake.url }), 64)
})
