// Histograms of three significant digits from 1 ns, as package histogram has
// them: [index of the bucket, count] in ascending order, and quantiles by the same
// rule, so that the page and the command show the same number.

const subBits = 11; // html.subBits
const half = 2 ** (subBits - 1);
const bucketCount = 33 * half; // up to an hour

// highestOf returns the highest value of the bucket at an index.
function highestOf(index) {
  const shift = Math.max(Math.floor(index / half) - 1, 0);
  return (index - shift * half + 1) * 2 ** shift - 1;
}

// A Histogram is a list of buckets, each with the number of values up to and with
// it.
class Histogram {
  constructor(values, upTo) {
    this.values = values; // the highest of each bucket
    this.upTo = upTo;
    this.count = upTo.length ? upTo[upTo.length - 1] : 0;
  }

  // merge adds up sparse histograms, whose counts are exact.
  static merge(list) {
    const counts = new Float64Array(bucketCount);
    for (const { index, count } of list) index.forEach((at, i) => (counts[at] += count[i]));
    const values = [],
      upTo = [];
    let sum = 0;
    counts.forEach((n, at) => {
      if (n > 0) (values.push(highestOf(at)), upTo.push((sum += n)));
    });
    return new Histogram(values, upTo);
  }

  // at returns the value of a rank from 1, never above max.
  at(rank, max) {
    let low = 0,
      high = this.upTo.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.upTo[middle] < rank) low = middle + 1;
      else high = middle;
    }
    return Math.min(this.values[low], max);
  }

  // quantile returns the p-th percentile of total samples, of which those that
  // are not in the histogram rank above every value: {value, above}; value is
  // null where one of them ranks.
  quantile(p, total, max) {
    total = Math.max(total, this.count);
    const rank = rankOf(p, total);
    return { value: rank > this.count ? null : this.at(rank, max), above: Math.max(total - rank, 0) };
  }
}

// rankOf returns ceil(p/100·total), at least 1, going one step below p first: in
// floating point 99.9 % of 1000 is a little more than 999. See histogram.rankOf.
function rankOf(p, total) {
  return Math.max(Math.ceil((stepBelow(Math.min(p, 100)) * total) / 100), 1);
}

// stepBelow returns the next smaller number of a positive one.
function stepBelow(v) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, v);
  bits.setBigUint64(0, bits.getBigUint64(0) - 1n);
  return bits.getFloat64(0);
}

// minAbove is how many samples must rank above a percentile for it to be relied
// on: histogram.MinAbove.
const minAbove = 10;
