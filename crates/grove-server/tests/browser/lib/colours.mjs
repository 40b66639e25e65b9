// How far apart two colours are for people who see all colours, and for those who do not.

/** What is left of red, green and blue light with no red, green or blue cones (Machado, Oliveira and Fernandes 2009). @type {Record<string, number[][]>} */
const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** Red, green and blue of a colour, from 0 to 255. @param {string} colour as `rgb(1, 2, 3)` */
const parts = (colour) => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

/** Red, green and blue light, from 0 to 1. @param {number[]} colour */
const lightOf = (colour) => colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));

/** A colour as these eyes see it, in CIELAB. @param {string} colour @param {number[][]} eyes */
function seen(colour, eyes) {
  const light = lightOf(parts(colour));
  const mixed = (/** @type {number[][]} */ matrix, /** @type {number[]} */ of) => matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * of[at], 0));
  const [red, green, blue] = mixed(eyes, light).map((part) => Math.min(1, Math.max(0, part)));
  const xyz = mixed([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]], [red, green, blue]);
  const [x, y, z] = xyz.map((part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** The distance of two colours for those who can tell them apart least. About 2 can be told apart side by side. @param {string} one @param {string} other */
export function distance(one, other) {
  const distances = Object.values(EYES).map((eyes) => {
    const [first, second] = [seen(one, eyes), seen(other, eyes)];
    return Math.hypot(...first.map((part, at) => part - second[at]));
  });
  return Math.min(...distances);
}

/** The contrast of a text with a fill over a ground, as WCAG counts it. @param {string} text @param {string} fill @param {number} opacity @param {string} ground */
export function contrast(text, fill, opacity, ground) {
  const under = parts(ground);
  const mixed = parts(fill).map((part, at) => opacity * part + (1 - opacity) * under[at]);
  const brightness = (/** @type {number[]} */ colour) => lightOf(colour).reduce((sum, part, at) => sum + [0.2126, 0.7152, 0.0722][at] * part, 0.05);
  const [one, other] = [brightness(parts(text)), brightness(mixed)];
  return Math.max(one, other) / Math.min(one, other);
}
