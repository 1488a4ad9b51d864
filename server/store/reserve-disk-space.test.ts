import { expect, test } from "bun:test";
import { DiskSpaceReservations } from "./reserve-disk-space.ts";

function diskOf(bytes: number, keptFree: number) {
  const disk = { bytes, size: 10 * bytes, keptFree, low: false };
  return { disk, room: new DiskSpaceReservations(() => disk) };
}

test("room is set aside until nothing but what is kept free is left", () => {
  const { room } = diskOf(100, 10);
  expect(room.take(60, 5)).toBeDefined();
  expect(room.take(26, 0)).toBeUndefined();
  expect(room.take(20, 5)).toBeDefined();
  expect(room.take(1, 0)).toBeUndefined();
  expect(room.bytes).toBe(90);
});

test("what is written is no longer set aside: the disk itself has less by then", () => {
  const { disk, room } = diskOf(100, 10);
  const one = room.take(60, 5);
  one?.written(40);
  disk.bytes -= 40;
  expect(room.bytes).toBe(25);
  expect(room.take(26, 0)).toBeUndefined();
  expect(room.take(25, 0)).toBeDefined();
});

test("a body that brings more than it said takes nothing from what storing it needs, or from others", () => {
  const { room } = diskOf(100, 10);
  const other = room.take(20, 0);
  const one = room.take(30, 5);
  one?.written(1_000);
  expect(room.bytes).toBe(25);
  one?.giveBack();
  one?.giveBack();
  other?.giveBack();
  expect(room.bytes).toBe(0);
});

test("the disk is asked every 10 ms, and before a body is refused; what is given back counts only then", () => {
  const disk = { bytes: 100, size: 1_000, keptFree: 10, low: false };
  let [asked, now] = [0, 0];
  const room = new DiskSpaceReservations(
    () => {
      asked++;
      return disk;
    },
    () => now,
  );
  room.take(30, 0)?.giveBack();
  now = 10;
  expect(room.take(60, 0)).toBeDefined();
  expect(asked).toBe(1);
  // 30 bytes were given back, which the disk confirms.
  expect(room.take(30, 0)).toBeDefined();
  expect(asked).toBe(2);
  expect(room.take(1, 0)).toBeUndefined();
  expect(asked).toBe(3);
  disk.bytes = 200;
  expect(room.take(100, 0)).toBeDefined();
  disk.bytes = 50;
  expect(room.take(1, 0)).toBeUndefined();
  disk.bytes = 300;
  now = 21;
  expect(room.take(50, 0)).toBeDefined();
  disk.bytes = 0;
  now = 31;
  expect(room.take(1, 0)).toBeDefined();
  now = 32;
  expect(room.take(1, 0)).toBeUndefined();
});
