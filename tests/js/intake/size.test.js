import assert from "node:assert/strict";
import { test } from "node:test";

import { formatSize } from "../../../static/js/intake/size.js";

test("a size has two or three figures and a unit", () => {
  const sizes = [0, 1023, 1024, 1536, 20 * 1024, 5 * 1024 ** 3, 5000 * 1024 ** 4];
  assert.deepEqual(sizes.map(formatSize), ["0 B", "1023 B", "1.0 kB", "1.5 kB", "20 kB", "5.0 GB", "5000 TB"]);
});
