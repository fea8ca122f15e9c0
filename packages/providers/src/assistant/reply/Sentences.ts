/*
 * Sentences of a text.
 */

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" })

/** Ends of segments after which a sentence goes on: an abbreviation, an initial, a number that begins a line. */
const unfinished =
  /(?:^|[\s(])(?:No|Nr|approx|ca|bzw|ggf|inkl|max|min|z\. ?B|e\.g|i\.e|p\. ?ex|vs|etc|Dr|Mr|Mrs|Ms|St|U\.S|\p{Lu})\.\s+$|^\s*\d{1,2}\.\s+$/u

/** The sentences of a text, without the white space around them. `size 10. The` is the end of one. */
export const sentencesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const sentences: Array<string> = []
    for (const { segment } of segmenter.segment(line)) {
      const last = sentences.at(-1)
      if (last !== undefined && unfinished.test(last)) sentences[sentences.length - 1] = last + segment
      else sentences.push(segment)
    }
    return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "")
  })
