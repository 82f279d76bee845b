const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A date of the Gregorian calendar. */
class CalendarDate {
  constructor(year, month, day) {
    this.year = year;
    this.month = month;
    this.day = day;
  }
  isLeapYear() {
    if (this.year % 400 === 0) return true;
    if (this.year % 100 === 0) return false;
    return this.year % 4 === 0;
  }
  isValid() {
    if (!Number.isInteger(this.year) || this.year < 1583 || this.year > 9999) return false;
    if (this.month < 1 || this.month > 12) return false;
    if (this.month === 2 && this.day === 29) return this.isLeapYear();
    return this.day >= 1 && this.day <= LENGTHS[this.month - 1];
  }
  dayOfYear() {
    if (!this.isValid()) return -1;
    let number = this.day;
    for (let month = 1; month < this.month; month++) number += LENGTHS[month - 1];
    if (this.month > 2 && this.isLeapYear()) number++;
    return number;
  }
  quarter() {
    if (this.month >= 10 && this.month <= 12) return 4;
    if (this.month >= 7 && this.month <= 9) return 3;
    if (this.month >= 4 && this.month <= 6) return 2;
    return this.month >= 1 && this.month <= 3 ? 1 : 0;
  }
  next() {
    if (!this.isValid()) throw new RangeError('no date');
    const last = this.month === 2 && this.isLeapYear() ? 29 : LENGTHS[this.month - 1];
    if (this.day < last) return new CalendarDate(this.year, this.month, this.day + 1);
    if (this.month === 12) return new CalendarDate(this.year + 1, 1, 1);
    return new CalendarDate(this.year, this.month + 1, 1);
  }
}

/** A time of day in minutes. */
class Shift {
  constructor(start, end) {
    this.start = start;
    this.end = end;
  }
  minutes() {
    const { start, end } = this;
    if (!(start >= 0 && start < 1440) || !(end >= 0 && end <= 1440)) return 0;
    return end >= start ? end - start : 1440 - start + end;
  }
  nightMinutes() {
    let night = 0;
    for (let minute = this.start; minute < this.start + this.minutes(); minute += 15) {
      const clock = minute % 1440;
      if (clock >= 1320 || clock < 360) night += 15;
    }
    return night;
  }
  bonus() {
    const minutes = this.minutes();
    if (minutes === 0) return 'none';
    if (minutes > 720) return 'refused';
    if (this.nightMinutes() > 360) return 'night';
    return minutes > 480 ? 'overtime' : 'none';
  }
}

module.exports = { CalendarDate, Shift };
