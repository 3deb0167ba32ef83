// The shapes of editors/PROTOCOL.md that this client reads.

export interface Member {
  kind: string;
  id: string;
  root: string;
  locator: string;
  gist: string;
  handle: string | null;
  handleNote: string | null;
}

export interface RecordShown extends Member {
  n: number;
  opened: boolean;
}

export interface Round {
  schema: number;
  recall: string;
  outcome: string;
  cue: { meant: string };
  story: { text: string; cites: number[] }[];
  /** The text of its document. */
  markdown: string;
  records: RecordShown[];
  adjacent: { name: string; rejected: boolean; members: string[] }[];
  expansion: { reach: string; cost: string } | null;
  /** Another recall that the turn was about, with its round where it was taken up. */
  reached?: { recall: string | null; name: string; round: Round | null } | null;
}

export interface RecallListed {
  recall: string;
  state: "open" | "held" | "identified" | "stopped" | "unresolved";
  meant: string;
  when: string | null;
  leading: string | null;
}

export interface StoreListed {
  kind: string;
  root: string | null;
  state: "read" | "indexing" | "absent" | "off" | "unreadable";
  records: number | null;
  bytes: number | null;
  from: string | null;
  to: string | null;
  note: string;
}

export interface WireError {
  code: string;
  message: string;
  remedy: string;
}

export interface Position {
  line: number;
  character: number;
}

export interface Target {
  uri: string;
  range?: { start: Position; end: Position };
}
