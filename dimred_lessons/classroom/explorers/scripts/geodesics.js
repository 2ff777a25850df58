// Geodesics: shortest paths through a neighborhood graph, which stand for distances along a manifold.

// Lengths of the shortest paths between all vertices (n, n), infinite between components: Dijkstra's algorithm from
// every vertex; of a path and its reverse, whose sums are rounded, the smaller sum.
export function shortestPaths(graph, n) {
  const paths = new Float64Array(n * n);
  for (let i = 0; i < n; i++) paths.set(pathsFrom(graph, n, i), i * n); // (isomap-geodesics)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      paths[i * n + j] = paths[j * n + i] = Math.min(paths[i * n + j], paths[j * n + i]);
    }
  }
  return paths;
}

// Lengths of the shortest paths from one vertex: the nearest of those that wait is settled, and its edges followed.
function pathsFrom({ starts, ends, lengths }, n, start) {
  const paths = new Float64Array(n).fill(Infinity);
  const heap = new Heap(n, paths);
  paths[start] = 0;
  heap.rise(start);
  while (heap.size) {
    const vertex = heap.pop();
    for (let edge = starts[vertex]; edge < starts[vertex + 1]; edge++) {
      const length = paths[vertex] + lengths[edge];
      if (length >= paths[ends[edge]]) continue;
      paths[ends[edge]] = length;
      heap.rise(ends[edge]);
    }
  }
  return paths;
}

// Vertices in a binary tree, none farther than the two below it, so that the nearest is at the top.
class Heap {
  constructor(n, paths) {
    this.paths = paths;
    this.size = 0;
    this.tree = new Int32Array(n);
    this.places = new Int32Array(n).fill(-1); // of each vertex in the tree
  }

  put(vertex, place) {
    this.tree[place] = vertex;
    this.places[vertex] = place;
  }

  // Let a vertex, whose path has become shorter, rise to its place; a new one comes in at the end.
  rise(vertex) {
    let place = this.places[vertex];
    if (place < 0) place = this.size++;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (this.paths[this.tree[above]] <= this.paths[vertex]) break;
      this.put(this.tree[above], place);
      place = above;
    }
    this.put(vertex, place);
  }

  // Take the nearest vertex out; the last one sinks from the top to its place.
  pop() {
    const [nearest, last] = [this.tree[0], this.tree[--this.size]];
    let place = 0;
    for (let below = 1; below < this.size; below = 2 * place + 1) {
      if (below + 1 < this.size && this.paths[this.tree[below + 1]] < this.paths[this.tree[below]]) below++;
      if (this.paths[this.tree[below]] >= this.paths[last]) break;
      this.put(this.tree[below], place);
      place = below;
    }
    this.put(last, place);
    return nearest;
  }
}
